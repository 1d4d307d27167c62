import { expect, it } from '@jest/globals';
import { preferredForm, type ReplayForm } from '../../../src/audit/replay/replay-form.js';

it.each<readonly [string | undefined, ReplayForm]>([
  [undefined, 'page'],
  ['', 'page'],
  ['*/*', 'page'],
  ['application/json', 'page'],
  ['application/cloudevents-batch+json; charset=utf-8', 'page'],
  ['text/event-stream', 'live'],
  ['TEXT/Event-Stream', 'live'],
  ['text/event-stream, */*', 'live'],
  ['application/x-ndjson', 'export'],
  ['application/x-ndjson;q=0.5, text/event-stream;q=0.9', 'live'],
  ['application/x-ndjson;q=1.000, text/event-stream', 'export'],
  ['text/event-stream;q=0, application/x-ndjson', 'export'],
  ['text/event-stream;q=0', 'page'],
  ['text/event-stream;q=2', 'live'],
  ['text/html', 'page'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'page'],
  [';;,,=,q=1', 'page'],
  ['__proto__, constructor', 'page'],
])('Accept: %s is a %s', (accept, form) => {
  expect(preferredForm(accept)).toBe(form);
});
