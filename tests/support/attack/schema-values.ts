/**
 * Values of a contract's schema for fast-check, made from the JSON schema that is published of it.
 * They need not pass: what the schema cannot say in JSON is left to whoever tries them.
 */
import fc from 'fast-check';
import * as z from 'zod';
import type { $ZodType } from 'zod/v4/core';

export interface JsonSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
}

export const jsonSchemaOf = (schema: $ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** What a field of this name usually holds; without it most values would be refused at once. */
export type Hints = Readonly<Record<string, readonly unknown[]>>;

/** Letters that fast-check cannot draw from a pattern's Unicode classes. */
const WORDS = ['Harbour', 'Zürich 7', '東京_1', 'Ω-2', 'naïve', 'a'];
const LENGTH_MOST = 60;

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const patterns = [schema.pattern, ...(schema.allOf ?? []).map(({ pattern }) => pattern)].filter(
    (pattern) => pattern !== undefined,
  );
  const most = Math.min(schema.maxLength ?? LENGTH_MOST, LENGTH_MOST);
  if (schema.format === 'uuid') return fc.uuid();
  const [first] = patterns;
  if (first === undefined)
    return fc.string({ minLength: schema.minLength ?? 0, maxLength: most, unit: 'grapheme' });
  if (first.includes('\\p{')) return fc.constantFrom(...WORDS);
  // A bound of thousands in a pattern would be drawn in full.
  const small = first.replace(/\{(\d+),\d{3,}\}/g, '{$1,9}');
  return fc.stringMatching(new RegExp(small));
}

function numberOf(schema: JsonSchema, whole: boolean): fc.Arbitrary<number> {
  const min = Math.max(schema.minimum ?? -1_000_000, -(2 ** 53) + 1);
  const max = Math.min(schema.maximum ?? 1_000_000, 2 ** 53 - 1);
  return whole
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true });
}

function objectOf(schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties: rest } = schema;
  if (properties === undefined)
    return fc.dictionary(
      fc.string({ maxLength: 12, unit: 'grapheme-ascii' }),
      typeof rest === 'object' ? valuesOf(rest, hints) : fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 4 },
    );
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    hints[name] === undefined
      ? valuesOf(field, hints)
      : fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...hints[name]) },
          { weight: 1, arbitrary: valuesOf(field, hints) },
        ),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: required,
  });
}

function listOf(schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  if (schema.prefixItems !== undefined)
    return fc.tuple(...schema.prefixItems.map((item) => valuesOf(item, hints)));
  return fc.array(valuesOf(schema.items ?? {}, hints), {
    minLength: schema.minItems ?? 0,
    maxLength: Math.min(schema.maxItems ?? 5, 5),
  });
}

export function valuesOf(schema: JsonSchema, hints: Hints = {}): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valuesOf(one, hints)));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type }, hints)));
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return numberOf(schema, true);
    case 'number':
      return numberOf(schema, false);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema, hints);
    case 'object':
      return objectOf(schema, hints);
    case undefined:
    default:
      return schema.allOf === undefined
        ? fc.jsonValue({ maxDepth: 2 })
        : valuesOf(
            schema.allOf.reduce((all, one) => ({ ...all, ...one })),
            hints,
          );
  }
}
