import { list, message, nullable, optional, required } from './message-shape.js';
import type { Faulty, Read, Reading } from './reading.js';
import * as scalars from './scalars.js';
import type { Artifact, Message, Part } from './types.js';

/** Bounds that the protocol leaves to servers; a request is bounded as a whole, too. */
const MAX_ID = 255;
const MAX_URI = 8192;
const MAX_PARTS = 128;
const MAX_EXTENSIONS = 64;
const MAX_REFERENCES = 64;

const CONTENT = ['text', 'raw', 'url', 'data'] as const;

const part: Read<Part> = message<Part>(
  {
    text: optional(scalars.content),
    raw: optional(scalars.bytes),
    url: optional(scalars.uri(MAX_URI)),
    data: nullable(scalars.anything),
    metadata: optional(scalars.struct),
    filename: optional(scalars.name(1024)),
    mediaType: optional(scalars.mediaType),
  },
  (value, reading) => {
    if (CONTENT.filter((name) => Object.hasOwn(value, name)).length === 1) return undefined;
    return reading.fault('must have exactly one of text, raw, url and data');
  },
);

/** The id of a task, a context, a message or a push configuration, as anybody may send it. */
export const id = scalars.name(MAX_ID);

const extensionUris = list(scalars.name(MAX_URI), MAX_EXTENSIONS);

/** Of an agent: what it says is bounded as a whole. */
const anyText = scalars.text(Infinity);

/** Parts that an agent says. */
export const agentParts = list(part, Infinity);

/** An artifact that an agent makes: an id of its own, at least one part (A2A v1.0 section 4.1.7). */
export const agentArtifact: Read<Artifact> = message<Artifact>({
  artifactId: required(anyText),
  name: optional(anyText),
  description: optional(anyText),
  parts: required(agentParts),
  metadata: optional(scalars.struct),
  extensions: optional(extensionUris),
});

/** A message of a client: `ROLE_USER`, an id, at least one part (A2A v1.0 section 4.1.4). */
export const clientMessage: Read<Message> = message<Message>(
  {
    messageId: required(id),
    contextId: optional(id),
    taskId: optional(id),
    role: required(scalars.oneOf(['ROLE_USER', 'ROLE_AGENT'], 'ROLE_UNSPECIFIED')),
    parts: required(list(part, MAX_PARTS)),
    metadata: optional(scalars.struct),
    extensions: optional(extensionUris),
    referenceTaskIds: optional(list(id, MAX_REFERENCES)),
  },
  refuseAgentRole,
);

function refuseAgentRole({ role }: Message, reading: Reading): Faulty | undefined {
  if (role === 'ROLE_USER') return undefined;
  return reading.faultAt(['role'], 'must be ROLE_USER: only the agent is ROLE_AGENT');
}
