import { type FlushingTelemetry, powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import { ClaimcheckError } from '../core/errors.ts';
import { sendableAnswer } from '../core/http/answer-limit.ts';
import { pathIds } from '../core/http/path-ids.ts';
import { refusal } from '../core/http/refusal.ts';
import { type HttpRequest, httpRequest } from '../core/http/request.ts';
import { type HttpResponse, json } from '../core/http/response.ts';
import { nameOf, placeOf } from './fault.ts';
import { traced } from './tracing.ts';

/**
 * A function behind the HTTP API: reads the gateway's event, answers one request, and maps what is thrown. An expected
 * failure has its status and words, and for a browser the way to `home`, the console; a fault is a 500 that says nothing, and one log line that names the error.
 */
export function httpHandler(
  name: string,
  respond: (request: HttpRequest, telemetry: FlushingTelemetry) => Promise<HttpResponse>,
  home?: string,
): (event: unknown) => Promise<HttpResponse> {
  return async (event) => {
    const telemetry = powertoolsTelemetry(name);
    let request: HttpRequest | undefined;
    try {
      const asked = httpRequest(event);
      request = asked;
      telemetry.add(pathIds(asked.path));
      return withoutBody(asked, sendableAnswer(await traced(name, {}, () => respond(asked, telemetry))));
    } catch (error) {
      if (error instanceof ClaimcheckError) {
        telemetry.decision('refused', { code: error.code, retryable: error.retryable });
        telemetry.count('Refusal', 1, { code: error.code });
        return refusal(error, request ?? { wantsPage: false }, home);
      }
      telemetry.decision('fault', { error: nameOf(error), at: placeOf(error) });
      return json(500, { code: 'Fault', message: 'That did not work; it has been noted.', retryable: true });
    } finally {
      telemetry.flush();
    }
  };
}

/** HEAD answers what GET would, without the body. */
function withoutBody(request: HttpRequest, response: HttpResponse): HttpResponse {
  return request.method === 'HEAD' ? { ...response, body: '' } : response;
}
