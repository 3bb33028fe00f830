import type { RouteOptions } from 'fastify';
import { ERRORS } from '@podwright/api/errors';
import { ErrorBody } from '@podwright/api/v3/common';

interface Described {
  method: string;
  /** As OpenAPI writes it: `/sessions/{id}`. */
  path: string;
  schema: NonNullable<RouteOptions['schema']>;
}

/** Collects the routes of one API version as they are registered, and describes them. */
export interface OpenApiCollector {
  add(route: RouteOptions, prefix: string): void;
  document(facts: { title: string; version: string; server: string }): object;
}

export function createOpenApiCollector(): OpenApiCollector {
  const routes: Described[] = [];
  return {
    add(route, prefix) {
      if (!route.schema || !route.url.startsWith(prefix)) return;
      const path = route.url.slice(prefix.length).replaceAll(/:([A-Za-z]+)/g, '{$1}');
      for (const method of [route.method].flat()) {
        if (method !== 'HEAD') routes.push({ method: method.toLowerCase(), path, schema: route.schema });
      }
    },
    document({ title, version, server }) {
      const paths: Record<string, Record<string, object>> = {};
      for (const { method, path, schema } of routes) paths[path] = { ...paths[path], [method]: operation(schema) };
      return {
        openapi: '3.1.0',
        info: { title, version },
        servers: [{ url: server }],
        security: [{ key: [] }, { bearer: [] }],
        paths,
        components: {
          securitySchemes: {
            key: { type: 'apiKey', in: 'header', name: 'X-Browser-Use-API-Key' },
            bearer: { type: 'http', scheme: 'bearer' },
          },
          schemas: { Error: ErrorBody },
        },
        'x-error-codes': Object.fromEntries(
          Object.entries(ERRORS).map(([code, { status, words }]) => [code, { status, words }]),
        ),
      };
    },
  };
}

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
}

function operation(schema: NonNullable<RouteOptions['schema']>): object {
  const parameters = (['params', 'querystring'] as const).flatMap((part) => {
    const { properties = {}, required = [] } = (schema[part] ?? {}) as ObjectSchema;
    return Object.entries(properties).map(([name, inner]) => ({
      name,
      in: part === 'params' ? 'path' : 'query',
      required: required.includes(name),
      schema: inner,
    }));
  });
  const answers = Object.entries((schema.response ?? { 204: null }) as Record<string, object | null>);
  return {
    parameters,
    ...(schema.body ? { requestBody: { content: { 'application/json': { schema: schema.body } } } } : {}),
    responses: {
      ...Object.fromEntries(
        answers.map(([status, inner]) => [
          status,
          { description: 'OK', ...(inner ? { content: { 'application/json': { schema: inner } } } : {}) },
        ]),
      ),
      default: {
        description: 'Error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}
