// Reads the trace of a request from its headers, for the log.

/** Headers as Node gives them: names in lower case. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The value of `logging.googleapis.com/trace`, from `traceparent` (W3C Trace Context) or from
 * `X-Cloud-Trace-Context`; undefined without a well-formed one.
 */
export function traceOf(project: string, headers: RequestHeaders): string | undefined {
  const { traceparent, 'x-cloud-trace-context': cloudTraceContext } = headers;
  if (traceparent === undefined && cloudTraceContext === undefined) return undefined;
  const id =
    /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(traceparent ?? ''))?.[1] ??
    /^([0-9a-f]{32})(\/|;|$)/i.exec(String(cloudTraceContext ?? ''))?.[1];
  return id === undefined ? undefined : `projects/${project}/traces/${id.toLowerCase()}`;
}
