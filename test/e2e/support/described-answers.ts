import { expect } from '@jest/globals';
import type { Answer, CallOptions, TestService } from '../../support/service.js';

type Response = Readonly<{ content?: Readonly<Record<string, unknown>> }>;

/** As much of an OpenAPI description as says which answers an operation has. */
export interface DescribedAnswers {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
    >
  >;
}

interface Described {
  /** Method and path. */
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly parameters: number;
  readonly responses: Readonly<Record<string, Response>>;
}

/** A call is answered as it is described: in status and media type. Also tells what was answered at all. */
export class AnswersJudge {
  readonly #answered = new Map<string, Set<number>>();

  constructor(private readonly described: DescribedAnswers) {}

  judge(method: string, target: string, { status, headers, text }: Answer): void {
    const operation = this.#operationOf(method, target);
    if (operation === undefined) throw new Error(`${method} ${target} is not described`);
    const statuses = this.#answered.get(operation.name) ?? new Set();
    this.#answered.set(operation.name, statuses.add(status));
    const response = operation.responses[String(status)];
    const types = Object.keys(response?.content ?? {});
    const [type] = (headers.get('content-type') ?? '').split(';');
    expect([operation.name, status, response === undefined ? 'not described' : types]).toEqual([
      operation.name,
      status,
      text === '' && method !== 'HEAD' ? [] : expect.arrayContaining([type]),
    ]);
  }

  /** The operations that never had such an answer. */
  without(isMeant: (status: number) => boolean): readonly string[] {
    return this.#operations()
      .map(({ name }) => name)
      .filter((name) => ![...(this.#answered.get(name) ?? [])].some(isMeant))
      .sort();
  }

  /** The same service, of which every answer to a described operation is judged. */
  watching<Service extends TestService>(service: Service): Service {
    const call = async (method: string, target: string, options?: CallOptions): Promise<Answer> => {
      const answer = await service.call(method, target, options);
      this.judge(method, target, answer);
      return answer;
    };
    return Object.assign(Object.create(service) as Service, { call });
  }

  #operationOf(method: string, target: string): Described | undefined {
    const [path = ''] = target.split('?');
    const wanted = method === 'HEAD' ? 'GET' : method;
    const fitting = this.#operations().filter(
      (each) => each.method === wanted && each.pattern.test(path),
    );
    // What is written out goes before what may be anything.
    return fitting.sort((a, b) => a.parameters - b.parameters)[0];
  }

  #operations(): readonly Described[] {
    return Object.entries(this.described.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        pattern: patternOf(path),
        parameters: path.split('{').length - 1,
        responses,
      })),
    );
  }
}

/** `path` stands for several segments, every other parameter for one. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.').replaceAll('{path}', '.+');
  return new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
