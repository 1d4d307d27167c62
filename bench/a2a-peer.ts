/**
 * The peer of `bench:a2a`: the plain Express server of the official SDK, its tasks in memory, without
 * authentication, and an executor that does what our echo handler does. Tells its port when it listens.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

const echo: AgentExecutor = {
  execute: (context, bus) => {
    const { taskId, contextId, userMessage } = context;
    const timestamp = new Date().toISOString();
    bus.publish(
      AgentEvent.task(
        Task.fromJSON({
          id: taskId,
          contextId,
          status: { state: 'TASK_STATE_SUBMITTED', timestamp },
          artifacts: [],
          history: [],
        }),
      ),
    );
    const text = userMessage.parts.flatMap(({ content }) =>
      content?.$case === 'text' ? [content.value] : [],
    );
    bus.publish(
      AgentEvent.artifactUpdate(
        TaskArtifactUpdateEvent.fromJSON({
          taskId,
          contextId,
          artifact: { artifactId: randomUUID(), parts: [{ text: text.join('\n') }] },
          lastChunk: true,
        }),
      ),
    );
    bus.publish(
      AgentEvent.statusUpdate(
        TaskStatusUpdateEvent.fromJSON({
          taskId,
          contextId,
          status: { state: 'TASK_STATE_COMPLETED', timestamp },
        }),
      ),
    );
    bus.finished();
    return Promise.resolve();
  },
  cancelTask: () => Promise.resolve(),
};

const card = AgentCard.fromJSON({
  name: 'Echo',
  description: 'Says what it is told.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 'echo',
      name: 'Echo',
      description: 'Says what it is told.',
      tags: ['echo'],
      examples: [],
    },
  ],
});

const app = express();
app.use(
  '/a2a/echo',
  jsonRpcHandler({
    requestHandler: new DefaultRequestHandler(card, new InMemoryTaskStore(), echo),
    userBuilder: UserBuilder.noAuthentication,
  }),
);
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
