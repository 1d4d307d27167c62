import type { JsonObject } from '../../kernel/json.js';
import type { CardSkill } from './card-skills.js';

/**
 * AgentCard of A2A v1.0 (section 4.4) as ProtoJSON. REQUIRED members are there even when empty;
 * others only when they say something, as the canonical form of section 8.4.1 wants them.
 */
export interface AgentCard {
  readonly name: string;
  readonly description: string;
  /** The first is preferred. */
  readonly supportedInterfaces: readonly AgentInterface[];
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly version: string;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly capabilities: {
    readonly streaming: boolean;
    readonly pushNotifications: boolean;
    readonly extendedAgentCard: boolean;
    readonly extensions: readonly AgentExtension[];
  };
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Alternatives; absent when no token is needed. */
  readonly securityRequirements?: readonly SecurityRequirement[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly CardSkill[];
}

export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: 'JSONRPC' | 'HTTP+JSON';
  readonly protocolVersion: string;
}

export interface AgentExtension {
  /** Exact and case-sensitive: another version is another extension. */
  readonly uri: string;
  readonly description: string;
  /** Absent means false. */
  readonly required?: true;
  readonly params?: JsonObject;
}

/** Exactly one member. */
export type SecurityScheme =
  | {
      readonly httpAuthSecurityScheme: {
        readonly description?: string;
        readonly scheme: string;
        readonly bearerFormat?: string;
      };
    }
  | {
      readonly openIdConnectSecurityScheme: {
        readonly description?: string;
        readonly openIdConnectUrl: string;
      };
    };

/** Scheme name → its scopes; an absent list is an empty one. All schemes of one entry are needed. */
export interface SecurityRequirement {
  readonly schemes: Readonly<Record<string, { readonly list?: readonly string[] }>>;
}
