import type { HandlerEvent } from '../../a2a/handlers/capability-call.js';

/** What the agent says, and how long it keeps silent in between, in milliseconds. */
export type ScenarioStep = HandlerEvent | { readonly kind: 'wait'; readonly milliseconds: number };

const WORKING: ScenarioStep = { kind: 'working' };
const COMPLETED: ScenarioStep = { kind: 'completed' };
const FILE = { filename: 'output.txt', mediaType: 'text/plain' };

const completed = (text: string): ScenarioStep => ({ kind: 'completed', parts: [{ text }] });

type Part = Extract<HandlerEvent, { kind: 'message' }>['parts'][number];

const artifact = (part: Part): ScenarioStep => ({
  kind: 'artifact',
  artifact: { artifactId: 'output', name: 'output', parts: [part] },
  lastChunk: true,
});

const chunk = (text: string, isLast: boolean): ScenarioStep => ({
  kind: 'artifact',
  artifact: { artifactId: 'output', name: 'output', parts: [{ text }] },
  append: text !== CHUNKS[0],
  lastChunk: isLast,
});
const CHUNKS = ['chunk-1 ', 'chunk-2'] as const;

/**
 * What the technology compatibility kit of A2A expects, by the beginning of the message id: its
 * branch 1.0-dev, `scenarios/`.
 */
const SCENARIOS: Readonly<Record<string, readonly ScenarioStep[]>> = {
  'tck-complete-task': [completed('Hello from TCK')],
  'tck-delayed-complete': [
    WORKING,
    { kind: 'wait', milliseconds: 2000 },
    completed('Done after delay'),
  ],
  'tck-artifact-text': [artifact({ text: 'Generated text content' }), COMPLETED],
  'tck-artifact-file': [artifact({ raw: 'dGNr', ...FILE }), COMPLETED],
  'tck-artifact-file-url': [
    artifact({ url: 'https://example.com/output.txt', ...FILE }),
    COMPLETED,
  ],
  'tck-artifact-data': [
    artifact({ data: { key: 'value', count: 42 }, mediaType: 'application/json' }),
    COMPLETED,
  ],
  'tck-message-response': [{ kind: 'message', parts: [{ text: 'Direct message response' }] }],
  'tck-input-required': [{ kind: 'input-required', parts: [{ text: 'Input required' }] }],
  'tck-auth-required': [{ kind: 'auth-required', parts: [{ text: 'Authorization required' }] }],
  'tck-reject-task': [{ kind: 'rejected', parts: [{ text: 'rejected' }] }],
  'tck-stream-001': [WORKING, artifact({ text: 'Stream hello from TCK' }), COMPLETED],
  'tck-stream-002': [COMPLETED],
  'tck-stream-003': [WORKING, artifact({ text: 'Stream task lifecycle' }), COMPLETED],
  'tck-stream-ordering-001': [WORKING, artifact({ text: 'Ordered output' }), COMPLETED],
  'tck-stream-artifact-text': [WORKING, artifact({ text: 'Streamed text content' }), COMPLETED],
  'tck-stream-artifact-file': [WORKING, artifact({ raw: 'dGNr', ...FILE }), COMPLETED],
  'tck-stream-artifact-chunked': [
    WORKING,
    chunk(CHUNKS[0], false),
    chunk(CHUNKS[1], true),
    COMPLETED,
  ],
  'test-resubscribe-message-id': [WORKING, { kind: 'wait', milliseconds: 4000 }, COMPLETED],
};

/** One prefix may begin with another: the longer one is meant. */
const LONGEST_FIRST = Object.entries(SCENARIOS).sort(([a], [b]) => b.length - a.length);

/** What is played for a message; whatever is in no scenario just completes. */
export function scenarioOf(messageId: string): readonly ScenarioStep[] {
  const found = LONGEST_FIRST.find(([prefix]) => messageId.startsWith(prefix));
  return found?.[1] ?? [completed('Hello from TCK')];
}
