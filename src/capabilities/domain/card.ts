import type { AgentId, SkillId } from '../../kernel/ids.js';
import type {
  AgentCard,
  AgentInterface,
  SecurityRequirement,
  SecurityScheme,
} from './agent-card.js';
import type { Capability } from './capability.js';
import type { DirectInvokeDeclarations } from './card-direct-invoke.js';
import { declaredExtensions, type ExtensionSettings } from './card-extensions.js';
import { hasExtendedSkills, skillsDigest, type CardSkill } from './card-skills.js';

/** What a card says of an agent besides its skills. */
export interface CardProfile {
  readonly agentId: AgentId;
  readonly name: string;
  readonly description: string;
  /** `<major>.<minor>` */
  readonly version: string;
  readonly provider: { readonly organization: string; readonly url: string } | null;
  readonly documentationUrl: string | null;
  readonly iconUrl: string | null;
  readonly extendedCard: 'derived' | 'off' | 'on';
}

/** What a card says of the deployment. */
export interface CardSettings {
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  readonly extensions: ExtensionSettings;
  /** OpenID Connect discovery document of whoever issues tokens, null for the service's own issuer. */
  readonly openIdConnectUrl: string | null;
  /** Whether callers without a token are refused. */
  readonly needsToken: boolean;
}

/** Where the A2A endpoint of an agent is. Agent ids hold only what a path segment may hold. */
function agentUrl(publicBaseUrl: string, agentId: AgentId): string {
  return `${publicBaseUrl}/a2a/${agentId}`;
}

/** `<major>.<minor>.<n>`: n counts the published lists of public skills. */
export function publicCardVersion(profile: CardProfile, published: number): string {
  return `${profile.version}.${String(published)}`;
}

/** The public card's version, and what tells these skills from others (as build metadata). */
export function extendedCardVersion(
  profile: CardProfile,
  published: number,
  skills: readonly CardSkill[],
  declarations: DirectInvokeDeclarations,
): string {
  const digest = Buffer.from(skillsDigest(skills, declarations), 'base64url').toString('hex');
  return `${publicCardVersion(profile, published)}+${digest.slice(0, 12)}`;
}

/** Whether the card claims an extended one. */
export function claimsExtendedCard(
  { extendedCard }: Pick<CardProfile, 'extendedCard'>,
  capabilities: ReadonlyMap<SkillId, Capability>,
): boolean {
  switch (extendedCard) {
    case 'on':
      return true;
    case 'off':
      return false;
    case 'derived':
      return hasExtendedSkills(capabilities);
  }
}

/** The parts of a card that come from the registry. */
export interface CardContent {
  readonly version: string;
  readonly skills: readonly CardSkill[];
  /** Of those skills: how they are invoked directly. */
  readonly declarations: DirectInvokeDeclarations;
  readonly extendedAgentCard: boolean;
}

/** Both public and extended cards: they differ in what `content` holds alone. */
export function agentCard(
  profile: CardProfile,
  settings: CardSettings,
  content: CardContent,
): AgentCard {
  const { name, description, provider, documentationUrl, iconUrl } = profile;
  const { version, skills, declarations, extendedAgentCard } = content;
  const securitySchemes = schemesOf(settings);
  return {
    name,
    description,
    supportedInterfaces: interfacesOf(profile, settings),
    ...(provider === null ? {} : { provider }),
    version,
    ...(documentationUrl === null ? {} : { documentationUrl }),
    ...(iconUrl === null ? {} : { iconUrl }),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard,
      extensions: declaredExtensions(settings.extensions, declarations),
    },
    securitySchemes,
    ...(settings.needsToken ? { securityRequirements: anyOf(securitySchemes) } : {}),
    defaultInputModes: modesOf(skills, 'inputModes'),
    defaultOutputModes: modesOf(skills, 'outputModes'),
    skills,
  };
}

function interfacesOf({ agentId }: CardProfile, { publicBaseUrl }: CardSettings): AgentInterface[] {
  const url = agentUrl(publicBaseUrl, agentId);
  return (['JSONRPC', 'HTTP+JSON'] as const).map((protocolBinding) => ({
    url,
    protocolBinding,
    protocolVersion: '1.0',
  }));
}

function schemesOf({ openIdConnectUrl }: CardSettings): Record<string, SecurityScheme> {
  return {
    bearer: {
      httpAuthSecurityScheme: {
        description: 'An access token in the Authorization header (RFC 6750).',
        scheme: 'Bearer',
        bearerFormat: 'JWT',
      },
    },
    ...(openIdConnectUrl === null
      ? {}
      : { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl } } }),
  };
}

/** One of the schemes is enough: all of them end in the same token. */
function anyOf(schemes: Readonly<Record<string, SecurityScheme>>): SecurityRequirement[] {
  return Object.keys(schemes).map((scheme) => ({ schemes: { [scheme]: {} } }));
}

/** Every media type that some skill of this card takes or gives, in the order of the skills. */
function modesOf(skills: readonly CardSkill[], member: 'inputModes' | 'outputModes'): string[] {
  return [...new Set(skills.flatMap((skill) => skill[member] ?? []))];
}
