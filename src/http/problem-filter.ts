import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemWriter } from './problem-writer.js';

/** Nest's way to the one place where refusals and faults become problem documents. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly problems: ProblemWriter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.problems.write(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
