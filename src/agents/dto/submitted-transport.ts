import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Equals } from 'class-validator';
import { MustBe, Nested } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { isEndpoint, type TransportChoice } from '../domain/transport.js';

export class SubmittedTransport {
  @ApiProperty({ enum: ['A2A/1.0'] })
  @Equals('A2A/1.0')
  readonly protocol!: 'A2A/1.0';

  @ApiProperty({ example: 'JSONRPC' })
  @MustBe(
    'a name of 1 to 255 visible ASCII characters',
    (value) => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value),
  )
  readonly protocolBinding!: string;

  @ApiProperty({
    format: 'uri',
    description: 'An absolute http(s) URL without credentials and fragment; never fetched',
  })
  @MustBe(
    'an absolute http(s) URL without credentials and fragment',
    (value) => typeof value === 'string' && isEndpoint(value),
  )
  readonly endpoint!: string;

  @ApiPropertyOptional({ enum: ['agent'] })
  @IfPresent()
  @Equals('agent')
  readonly managedBy?: 'agent';
}

/** Members of a body that says where an agent speaks A2A: exactly one of the two. */
export interface TransportMembers {
  readonly transport?: SubmittedTransport;
  readonly hosted?: true;
}

/** The member `transport` of a body, for an agent that has an endpoint of its own. */
export function TransportMember(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({
      type: () => SubmittedTransport,
      description: 'The agent’s own endpoint. Either this or `hosted`',
    })(target, property);
    IfPresent()(target, property);
    Nested(() => SubmittedTransport)(target, property);
  };
}

/** The member `hosted: true` of a body, for an agent whose endpoint this deployment serves. */
export function HostedMember(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({
      type: Boolean,
      enum: [true],
      description: 'This deployment serves the endpoint, at `/a2a/<agentId>`',
    })(target, property);
    IfPresent()(target, property);
    Equals(true)(target, property);
  };
}

/** Refuses with `request-invalid` unless the body has exactly one of the two members. */
export function transportChoiceOf(members: TransportMembers): Result<TransportChoice, Rejection> {
  const { transport, hosted } = members;
  if (hosted === true && transport === undefined) return ok({ hosted });
  if (transport !== undefined && hosted === undefined) {
    const { protocolBinding, endpoint } = transport;
    return ok({ hosted: false, protocolBinding, endpoint });
  }
  const detail = 'must be given, or else hosted: true, not both';
  return err({ code: 'request-invalid', faults: [{ pointer: '/transport', detail }] });
}
