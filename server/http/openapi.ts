/** The contract as OpenAPI 3.1, generated from the schemas that are enforced. */
import * as z from 'zod';
import type { $ZodType } from 'zod/v4/core';
import { CALLS, type CallName } from '../../contract/calls.ts';
import { ErrorReply } from '../../contract/error-reply.ts';
import { CONTRACT_HEADER, CONTRACT_VERSION, IDEMPOTENCY_HEADER } from '../../contract/version.ts';

type JsonSchema = Record<string, unknown>;

function schemaOf(schema: $ZodType, io: 'input' | 'output'): JsonSchema {
  const json = {
    ...z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }),
  } as JsonSchema;
  delete json.$schema;
  return json;
}

function parameters(schema: $ZodType, place: 'path' | 'query'): JsonSchema[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: value,
  }));
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

function operation(name: CallName): JsonSchema {
  const call = CALLS[name];
  const isMutation = call.method !== 'GET';
  return {
    operationId: name,
    summary: call.summary,
    ...(call.access === 'token' ? { security: [{ bearer: [] }] } : { security: [] }),
    ...(call.needs === null
      ? {}
      : { 'x-plan-permits': `${call.needs.resource}:${call.needs.action}` }),
    parameters: [
      ...parameters(call.params, 'path'),
      ...parameters(call.query, 'query'),
      { name: CONTRACT_HEADER, in: 'header', required: false, schema: { type: 'integer' } },
      ...(isMutation
        ? [
            {
              name: IDEMPOTENCY_HEADER,
              in: 'header',
              required: true,
              schema: { type: 'string', format: 'uuid' },
            },
          ]
        : []),
    ],
    ...(isMutation
      ? { requestBody: { required: false, content: json(schemaOf(call.body, 'input')) } }
      : {}),
    responses: {
      200: { description: 'Done', content: json(schemaOf(call.reply, 'output')) },
      default: {
        description: 'Refused',
        content: json({ $ref: '#/components/schemas/ErrorReply' }),
      },
    },
  };
}

export function openApiDocument(): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const name of Object.keys(CALLS) as CallName[]) {
    const { path, method } = CALLS[name];
    const key = path.replace(/:(\w+)/g, '{$1}');
    paths[key] = { ...paths[key], [method.toLowerCase()]: operation(name) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tradewind', version: String(CONTRACT_VERSION) },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { ErrorReply: schemaOf(ErrorReply, 'output') },
    },
  };
}
