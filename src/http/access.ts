import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from '../kernel/caller.js';

/** Who may use a route. A route that says nothing needs a valid token and no particular scope. */
export interface RouteAccess {
  /** Answers without a token; a token that is sent all the same is not looked at. */
  readonly public?: boolean;
  /** Answers without a token too; one that is sent must be good. */
  readonly optional?: boolean;
  /** A public read that waits for what its reader has seen written, as every other read does. */
  readonly readsWrites?: boolean;
  /**
   * A public document that is the same for everybody: sent from one copy, with an entity tag, and 304 to
   * whoever has it (see `shared-answers.ts`), unless the answer is not to be stored.
   */
  readonly shared?: boolean;
  /** The token must have at least one of these. */
  readonly anyScope?: readonly Scope[];
}

/** The member of Fastify's route configuration that holds a {@link RouteAccess}. */
export const ROUTE_ACCESS = 'access';

/** Opens a controller's method to everybody. */
export function Public(options: Pick<RouteAccess, 'readsWrites' | 'shared'> = {}): MethodDecorator {
  return routeAccess({ ...options, public: true });
}

/**
 * The caller's token must carry at least one of the scopes; refused with `scope-missing` before the
 * body is read. Whether the caller may touch *this* agent or interaction is the handler's question.
 */
export function RequireScope(...scopes: readonly [Scope, ...Scope[]]): MethodDecorator {
  return routeAccess({ anyScope: scopes });
}

/**
 * Whether a `Position-Token` is looked at: by every read that asks who calls, and by public ones that
 * say so. Others pass it over: a probe that forwards it must not wait, and what anybody may read at any
 * time promises nobody a write.
 *
 * @param method in upper case.
 */
export function honoursPositionToken(method: string, access: RouteAccess): boolean {
  return isRead(method) && (access.public !== true || access.readsWrites === true);
}

/** Reads change nothing. @param method in upper case */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Where the OpenAPI description finds the access of an operation, before it is published. */
export const ACCESS_EXTENSION = 'x-access';

/** Kept in the route's own configuration, so that the check runs in Fastify, ahead of the body. */
function routeAccess(access: RouteAccess): MethodDecorator {
  return applyDecorators(
    RouteConfig({ [ROUTE_ACCESS]: access }),
    ApiExtension(ACCESS_EXTENSION, access),
  );
}
