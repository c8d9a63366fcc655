import type { LogFacts } from '../core/telemetry/telemetry.ts';
import { nameOf } from './fault.ts';

/**
 * One X-Ray subsegment for the work of an invocation, with its ids as annotations, so that a trace is found by its
 * run. Only a sampled invocation loads the tracer (a tenth of a megabyte of code): the others pay nothing.
 */
export async function traced<Result>(name: string, ids: LogFacts, work: () => Promise<Result>): Promise<Result> {
  if (!sampled()) return work();
  const { Tracer } = await import('@aws-lambda-powertools/tracer');
  const tracer = new Tracer({ enabled: true, captureHTTPsRequests: false });
  const segment = tracer.getSegment();
  const own = segment?.addNewSubsegment(`## ${name}`);
  if (segment === undefined || own === undefined) return work();
  tracer.setSegment(own);
  tracer.annotateColdStart();
  tracer.addServiceNameAnnotation();
  for (const [key, value] of Object.entries(ids)) {
    if (value !== undefined && value !== null) tracer.putAnnotation(key, value);
  }
  try {
    return await work();
  } catch (error) {
    // The name alone: a message may quote data.
    own.addFaultFlag();
    tracer.putAnnotation('fault', nameOf(error));
    throw error;
  } finally {
    own.close();
    tracer.setSegment(segment);
  }
}

/** As Lambda says it for the invocation that runs; absent where nothing is traced. */
function sampled(): boolean {
  return process.env['_X_AMZN_TRACE_ID']?.includes('Sampled=1') === true;
}
