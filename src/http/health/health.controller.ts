import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags, type SchemaObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public, RequireScope } from '../access.js';
import { HealthRegistry } from './health-registry.js';

const STATE: SchemaObject = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string' }, checks: { type: 'object' } },
};

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(@Inject(HealthRegistry) private readonly health: HealthRegistry) {}

  @Get('live')
  @Public()
  @ApiOperation({ summary: 'Is the process alive? Restart it when this does not answer.' })
  @ApiResponse({ status: 200, description: 'Alive.', schema: STATE })
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  @Public()
  @ApiOperation({ summary: 'Can this node serve requests now?' })
  @ApiResponse({ status: 200, description: 'Ready.', schema: STATE })
  @ApiResponse({ status: 503, description: 'Not ready; `checks` says which part.', schema: STATE })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { ready, checks } = await this.health.report();
    reply.code(ready ? 200 : 503);
    const words = [...checks].map(([name, { healthy }]) => [name, healthy ? 'ok' : 'failing']);
    return { status: ready ? 'ready' : 'not-ready', checks: Object.fromEntries(words) as object };
  }

  @Get()
  @RequireScope('operator:read')
  @ApiOperation({ summary: 'How every part of this node fares, in detail: lag, parked events.' })
  @ApiResponse({ status: 200, description: 'Every part, healthy or not.', schema: STATE })
  async details(): Promise<object> {
    const { ready, checks } = await this.health.report();
    return { status: ready ? 'ready' : 'not-ready', checks: Object.fromEntries(checks) };
  }
}
