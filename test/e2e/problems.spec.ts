import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REJECTION_STATUS } from '../../src/http/rejection-status.js';
import { WORDS } from '../../src/http/rejection-words.js';
import { REJECTIONS, type RejectionCode } from '../../src/kernel/rejection.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { startTestService, type InProcessService } from '../support/service.js';

const CODES = Object.keys(REJECTIONS) as RejectionCode[];

describe('problems', () => {
  let service: InProcessService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(async () => {
    await service.dispose();
  });

  describe('their documentation', () => {
    it('lists exactly the catalogue', async () => {
      const { status, body } = await service.call('GET', '/problems');
      expect(status).toBe(200);
      expect(body).toEqual({
        problems: CODES.map((code) => expect.objectContaining({ code }) as unknown),
      });
    });

    it('agrees with catalogue and status table, code by code, at the type URI', async () => {
      for (const code of CODES) {
        const { status, body } = await service.call('GET', `/problems/${code}`);
        expect([code, status]).toEqual([code, 200]);
        expect(body).toEqual({
          type: `${service.audience}/problems/${code}`,
          code,
          status: REJECTION_STATUS[code].status,
          title: REJECTION_STATUS[code].title,
          meaning: WORDS[code],
          // An operator has to look at that one first.
          retriable:
            (REJECTION_STATUS[code].status as number) === 503 && code !== 'log-inconsistent',
        });
      }
    });

    it('is a page for whoever asks for one', async () => {
      const headers = { accept: 'text/html,application/xhtml+xml' };
      for (const path of ['/problems', '/problems/key-unsafe-point']) {
        const page = await service.call('GET', path, { headers });
        expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(page.text).toContain(WORDS['key-unsafe-point']);
        expect(page.headers.get('vary')).toBe('accept');
      }
    });

    it('shows names of members as code, and the way to all the others', async () => {
      const headers = { accept: 'text/html' };
      const page = await service.call('GET', '/problems/head-changed', { headers });
      expect(page.text).toContain('<code>head</code> is where it stands now.');
      expect(page.text).not.toContain('`');
      expect(page.text).toContain('<a href="/problems">');
    });

    it.each(['constructor', 'toString', '__proto__', 'Token-Missing', '%3Cscript%3E'])(
      'knows no code %s',
      async (code) => {
        const { status, body } = await service.call('GET', `/problems/${code}`);
        expect([status, body['code']]).toEqual([404, 'not-found']);
      },
    );
  });

  describe('of requests that reach no operation', () => {
    it('are problem documents, every one', async () => {
      const token = await service.token();
      const bearer = `authorization: Bearer ${token}`;
      const json = 'content-type: application/json';
      const cases: [string, Buffer, number, string][] = [
        ['an unknown address', rawRequest('GET', '/v2/agents', [bearer]), 404, 'not-found'],
        [
          'an unknown method',
          rawRequest('PATCH', '/v1/agents', [bearer]),
          405,
          'method-not-allowed',
        ],
        ['a bad escape', rawRequest('GET', '/v1/agents/%zz', [bearer]), 400, 'http-malformed'],
        [
          'no host',
          Buffer.from('GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n'),
          400,
          'http-malformed',
        ],
        [
          'an expectation',
          rawRequest('POST', '/v1/agents', [bearer, json, 'expect: foo'], '{}'),
          400,
          'http-malformed',
        ],
        ['no token', rawRequest('POST', '/v1/agents', [json], '{}'), 401, 'token-missing'],
        [
          'a form',
          rawRequest('POST', '/v1/agents', [bearer, 'content-type: text/plain'], 'a=b'),
          415,
          'media-type-unsupported',
        ],
        [
          'two members of one name',
          rawRequest('POST', '/v1/agents', [bearer, json], '{"agentId":"a","agentId":"b"}'),
          400,
          'json-duplicate-name',
        ],
        [
          'a large body',
          rawRequest('POST', '/v1/agents', [bearer, json], `"${'x'.repeat(256 * 1024)}"`),
          413,
          'json-too-large',
        ],
        [
          'an empty object',
          rawRequest('POST', '/v1/agents', [bearer, json], '{}'),
          400,
          'request-invalid',
        ],
      ];
      for (const [name, request, status, code] of cases) {
        const answer = await sendRaw(service.url, request);
        expect([name, answer.status, answer.headers['content-type']]).toEqual([
          name,
          status,
          'application/problem+json; charset=utf-8',
        ]);
        expect(JSON.parse(answer.body)).toMatchObject({ code, status });
        expect(answer.body).not.toMatch(/\.[jt]s\b|node_modules|FST_|SQLITE|stack/);
      }
    });
  });

  it('never shows what a header or an address made of itself', async () => {
    const path = '/v1/nothing/%3Cscript%3Ealert(1)%3C/script%3E';
    const answer = await service.call('GET', path, { headers: { 'x-correlation-id': '"><x' } });
    expect(answer.body['instance']).toBe(path);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.text).not.toContain('"><x');
  });
});
