import { type DownloadPorts, download } from '../download/download.ts';
import type { DownloadTarget } from '../download/download-objects.ts';
import { authenticate, type SignInPorts } from '../session/authenticate.ts';
import { methodNotAllowed, nothingHere, refusal, unauthenticated } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, redirect } from './response.ts';
import { signInAddress } from './sign-in-routes.ts';

/** The answer to a click on a download link. Expected refusals are thrown, except those of the path itself. */
export async function respondToDownload(
  request: HttpRequest,
  ports: DownloadPorts & { readonly signIn: SignInPorts; readonly publicBaseUrl: string },
): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET, HEAD');
  const identity = await authenticate(request, ports.signIn);
  if (identity === undefined) {
    return request.wantsPage ? redirect(signInAddress(ports.publicBaseUrl, request.path)) : unauthenticated();
  }
  const target = downloadTarget(request.path);
  if (target === undefined) return refusal(nothingHere, request, ports.publicBaseUrl);
  return redirect(await download(identity, target, ports));
}

/** What a path names; undefined for any other path. The ids are checked by the gate, before they touch a key. */
export function downloadTarget(path: string): DownloadTarget | undefined {
  const [, area, first, second, ...more] = path.split('/');
  if (first === undefined || more.length > 0) return undefined;
  if (area === 'exports' && second === undefined) return { kind: 'export', id: first };
  if (area === 'results' && second !== undefined) return { kind: 'result', session: first, id: second };
  return undefined;
}
