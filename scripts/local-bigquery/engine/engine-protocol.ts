// Reads how the engine's requests and answers are encoded.
import { join } from 'node:path';
import type { MethodDefinition, ServiceDefinition } from '@grpc/proto-loader';
import * as protoLoader from '@grpc/proto-loader';
import { type DecodeMessage, createMessageDecoder } from './message-decoder.ts';

interface EngineProtocol {
  methods: ServiceDefinition;
  /** Of an answer of Analyze; without signatures and annotations, and with equal types as one object. */
  decodeAnalysis: DecodeMessage;
}

/** Reading takes a quarter of a second: it is done once, however often an engine is started. */
const known = new Map<string, EngineProtocol>();

/** `root` is the folder of the engine's files. */
export function engineProtocol(root: string): EngineProtocol {
  const earlier = known.get(root);
  if (earlier) return earlier;
  const definitions = protoLoader.loadSync('local_service.proto', {
    includeDirs: [join(root, 'protos')],
    longs: String,
    enums: String,
    oneofs: true,
  });
  const protocol = {
    methods: definitions['zetasql.local_service.ZetaSqlLocalService'] as ServiceDefinition,
    decodeAnalysis: createMessageDecoder(
      definitions,
      'zetasql.local_service.AnalyzeResponse',
      NEEDED_OF_ANALYSIS,
    ),
  };
  known.set(root, protocol);
  return protocol;
}

export function methodOf(
  { methods }: EngineProtocol,
  name: string,
): MethodDefinition<object, object> {
  const method = methods[name];
  if (method === undefined) throw new Error(`the GoogleSQL engine has no method ${name}`);
  return method;
}

/** The engine writes a type out wherever it is used: of a STRUCT with a thousand fields, each use has them all. */
const NEEDED_OF_ANALYSIS = {
  except: new Set([
    'ResolvedColumnProto.annotationMap',
    'ResolvedColumnProto.tableName',
    'ResolvedExprProto.typeAnnotationMap',
    'ResolvedFunctionCallBaseProto.signature',
  ]),
  shared: new Set(['ResolvedColumnProto', 'TypeProto']),
};
