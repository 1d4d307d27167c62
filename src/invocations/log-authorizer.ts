import { Injectable } from '@nestjs/common';
import { AuthorizationFacts } from './authorization-facts.js';
import { judgeCall } from './judge-call.js';
import {
  Authorizer,
  type AuthorizationAnswer,
  type AuthorizationQuestion,
} from './queries/authorizer.js';

/** Decides from the heads of the streams. */
@Injectable()
export class LogAuthorizer extends Authorizer {
  constructor(private readonly facts: AuthorizationFacts) {
    super();
  }

  async authorize(question: AuthorizationQuestion): Promise<AuthorizationAnswer> {
    const { decision, capability, basedOn } = await judgeCall(this.facts.atHead, question);
    return { decision, capability, basedOn };
  }
}
