// Decodes the engine's long answers: without the fields that nobody reads, and equal parts once.
import type { PackageDefinition } from '@grpc/proto-loader';

/** Names and types fields as proto-loader does, with int64 and enums as text. */
export type DecodeMessage = (bytes: Buffer) => Record<string, unknown>;

interface DecoderOptions {
  /** Fields that are left out, as `Message.field`. */
  except: ReadonlySet<string>;
  /** Messages that repeat: equal ones become one object, which nobody may change. */
  shared: ReadonlySet<string>;
}

/** The fields of a message by their number. */
type Fields = ReadonlyMap<number, Field>;

interface Field {
  name: string;
  isRepeated: boolean;
  /** https://protobuf.dev/programming-guides/encoding/#structure */
  wireType: number;
  read(reader: Reader): unknown;
}

interface Reader {
  bytes: Buffer;
  at: number;
}

/** Bounds what is kept of equal messages. */
const SHARED_MAX = 10_000;

/** `messageName` is the full name, such as `zetasql.local_service.AnalyzeResponse`. */
export function createMessageDecoder(
  definitions: PackageDefinition,
  messageName: string,
  { except, shared }: DecoderOptions,
): DecodeMessage {
  const known = new Map<string, Fields>();

  /** Made when they are first needed, because messages contain each other. */
  function fieldsOf(message: string): Fields {
    const earlier = known.get(message);
    if (earlier) return earlier;
    const fields = new Map(
      (descriptorOf(definitions, message)?.field ?? [])
        .filter(({ name }) => !except.has(`${lastName(message)}.${name}`))
        .map((field) => [
          field.number,
          {
            name: field.name,
            isRepeated: field.label === 'LABEL_REPEATED',
            ...valueReader(message, field),
          },
        ]),
    );
    known.set(message, fields);
    return fields;
  }

  function valueReader(
    message: string,
    { type, typeName }: FieldDescriptor,
  ): Pick<Field, 'wireType' | 'read'> {
    if (type !== 'TYPE_MESSAGE' && type !== 'TYPE_ENUM') return SCALARS[type] ?? BYTES;
    const full = fullName(definitions, message, typeName);
    if (full === undefined) return BYTES;
    if (type === 'TYPE_ENUM') {
      const values = descriptorOf(definitions, full)?.value ?? [];
      const names = new Map(values.map(({ number, name }) => [number, name]));
      return { wireType: 0, read: (reader) => nameOf(names, varint(reader)) };
    }
    const decoded = (bytes: Buffer) => decode(bytes, fieldsOf(full));
    return {
      wireType: 2,
      read: shared.has(lastName(full)) ? once(decoded) : (reader) => decoded(delimited(reader)),
    };
  }

  return (bytes) => decode(bytes, fieldsOf(messageName));
}

/** Equal bytes become the same object. */
function once(decoded: (bytes: Buffer) => unknown): Field['read'] {
  const known = new Map<string, unknown>();
  return (reader) => {
    const bytes = delimited(reader);
    const key = bytes.toString('latin1');
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const value = decoded(bytes);
    if (known.size >= SHARED_MAX) known.clear();
    known.set(key, value);
    return value;
  };
}

function decode(bytes: Buffer, fields: Fields): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const tag = varint(reader);
    const wireType = tag % 8;
    const field = fields.get((tag - wireType) / 8);
    if (field?.wireType !== wireType) skip(reader, wireType);
    else if (!field.isRepeated) message[field.name] = field.read(reader);
    else ((message[field.name] ??= []) as unknown[]).push(field.read(reader));
  }
  return message;
}

const BYTES: Pick<Field, 'wireType' | 'read'> = { wireType: 2, read: delimited };

const SCALARS: Readonly<Record<string, Pick<Field, 'wireType' | 'read'>>> = {
  TYPE_BOOL: { wireType: 0, read: (reader) => varint(reader) !== 0 },
  TYPE_INT32: { wireType: 0, read: (reader) => Number(BigInt.asIntN(32, bigVarint(reader))) },
  TYPE_UINT32: { wireType: 0, read: varint },
  TYPE_INT64: { wireType: 0, read: (reader) => String(BigInt.asIntN(64, bigVarint(reader))) },
  TYPE_UINT64: { wireType: 0, read: (reader) => String(bigVarint(reader)) },
  TYPE_DOUBLE: { wireType: 1, read: (reader) => taken(reader, 8).readDoubleLE() },
  TYPE_FLOAT: { wireType: 5, read: (reader) => taken(reader, 4).readFloatLE() },
  TYPE_STRING: { wireType: 2, read: (reader) => delimited(reader).toString() },
};

/** Exact up to 2^53. */
function varint(reader: Reader): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = next(reader);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}

function bigVarint(reader: Reader): bigint {
  const { at } = reader;
  const value = varint(reader);
  if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
  reader.at = at;
  let exact = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = next(reader);
    exact |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, exact);
  }
}

function delimited(reader: Reader): Buffer {
  return taken(reader, varint(reader));
}

function taken(reader: Reader, length: number): Buffer {
  const start = reader.at;
  reader.at += length;
  if (reader.at > reader.bytes.length) throw new RangeError('an answer of the engine is cut off');
  return reader.bytes.subarray(start, reader.at);
}

function next(reader: Reader): number {
  const byte = reader.bytes[reader.at++];
  if (byte === undefined) throw new RangeError('an answer of the engine is cut off');
  return byte;
}

function skip(reader: Reader, wireType: number): void {
  if (wireType === 0) varint(reader);
  else taken(reader, wireType === 1 ? 8 : wireType === 5 ? 4 : varint(reader));
}

/** What is read of proto-loader's descriptors, of messages and of enums. */
interface Descriptor {
  name: string;
  field?: FieldDescriptor[];
  nestedType?: Descriptor[];
  enumType?: Descriptor[];
  value?: { name: string; number: number }[];
}

interface FieldDescriptor {
  name: string;
  number: number;
  label: string;
  type: string;
  /** Relative to the message that the field is in, or to one of its packages. */
  typeName: string;
}

/** What is nested in a message is in the descriptor of that message alone. */
function descriptorOf(definitions: PackageDefinition, name: string): Descriptor | undefined {
  const own = definitions[name]?.['type'] as Descriptor | undefined;
  if (own !== undefined || !name.includes('.')) return own;
  const outer = descriptorOf(definitions, name.slice(0, name.lastIndexOf('.')));
  const nested = [...(outer?.nestedType ?? []), ...(outer?.enumType ?? [])];
  return nested.find((described) => described.name === lastName(name));
}

/** The full name of a type that a message uses. */
function fullName(
  definitions: PackageDefinition,
  message: string,
  typeName: string,
): string | undefined {
  const parts = message.split('.');
  const scopes = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  return [...scopes.map((scope) => `${scope}.${typeName}`), typeName].find(
    (name) => descriptorOf(definitions, name) !== undefined,
  );
}

function nameOf(names: ReadonlyMap<number, string>, value: number): string | number {
  return names.get(value) ?? value;
}

function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
