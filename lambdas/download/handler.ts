import { documentClient, s3Client } from '../../aws/clients.ts';
import { downloadObjects } from '../../aws/object-url.ts';
import { respondToDownload } from '../../core/http/download-route.ts';
import { systemClock } from '../../core/telemetry/telemetry.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { httpHandler } from '../http-handler.ts';
import { people } from '../people.ts';

const environment = readEnvironment(process.env, 'bucket', 'sessions', 'identity', 'secret', 'baseUrl');
const known = people(environment, documentClient());
const s3 = s3Client();

/** `GET` and `HEAD` of `/results/{session}/{id}` and `/exports/{id}`: a short-lived link for the owner, or why not. */
export const handler = httpHandler(
  'download',
  (request, telemetry) =>
    respondToDownload(request, {
      signIn: known,
      publicBaseUrl: environment.baseUrl,
      objects: downloadObjects(s3, environment.bucket, telemetry),
      roles: known.roles,
      tools,
      telemetry,
      clock: systemClock,
      urlSeconds: environment.settings.download.urlSeconds,
    }),
  environment.baseUrl,
);
