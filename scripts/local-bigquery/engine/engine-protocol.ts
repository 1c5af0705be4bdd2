// Encodes the engine's requests and decodes its answers, as its protocol buffers describe them.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import type { Type } from 'protobufjs';

/** Messages are plain objects, with int64 and enums as text. */
interface MessageFormat {
  encode: (message: object) => Buffer;
  /** The answer of an analysis has no signatures or annotations. */
  decode: (bytes: Buffer) => object;
}

/** Reading takes a quarter of a second: it is done once, however often an engine is started. */
const known = new Map<string, ReturnType<typeof readProtocol>>();

export function engineProtocol(root: string) {
  const protocol = known.get(root) ?? readProtocol(join(root, 'protos'));
  known.set(root, protocol);
  return protocol;
}

function readProtocol(folder: string) {
  // A stack that is too small ends a decoding: expressions may be nested a thousand times.
  protobuf.Reader.recursionLimit = protobuf.util.recursionLimit = Infinity;
  const root = new protobuf.Root();
  const require = createRequire(import.meta.filename);
  root.resolvePath = (_, target) =>
    target.startsWith('google/protobuf/')
      ? require.resolve(`protobufjs/${target}`)
      : join(folder, target);
  root.loadSync('local_service.proto').resolveAll();
  for (const [message, field] of UNREAD) {
    const type = root.lookupType(`zetasql.${message}`);
    type.remove(type.get(field) as protobuf.Field);
  }
  const service = root.lookupService(`${SERVICE_PACKAGE}.ZetaSqlLocalService`);
  return {
    method: (name: string) => {
      const method = service.methods[name];
      if (method === undefined) throw new Error(`the GoogleSQL engine has no method ${name}`);
      return {
        path: `/${service.fullName.slice(1)}/${name}`,
        request: messageFormat(method.resolvedRequestType),
        response: messageFormat(method.resolvedResponseType),
      };
    },
    /** Without enums, which a message must have as numbers: rows need no conversion. */
    message: (name: string): MessageFormat => {
      const type = root.lookupType(`${SERVICE_PACKAGE}.${name}`);
      return {
        ...messageFormat(type),
        encode: (message) => Buffer.from(type.encode(message).finish()),
      };
    },
    /** A part of many requests, which is converted once for all of them. */
    part: (name: string, value: object): object =>
      root.lookupType(`zetasql.${name}`).fromObject(value),
  };
}

const SERVICE_PACKAGE = 'zetasql.local_service';

function messageFormat(type: Type | null): MessageFormat {
  if (type === null) throw new Error('the GoogleSQL engine does not describe its messages');
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { longs: String, enums: String }),
  };
}

/** Unused fields, which make up most of an answer. */
const UNREAD = [
  ['ResolvedColumnProto', 'annotationMap'],
  ['ResolvedColumnProto', 'tableName'],
  ['ResolvedExprProto', 'typeAnnotationMap'],
  ['ResolvedFunctionCallBaseProto', 'signature'],
] as const;
