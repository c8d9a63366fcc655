import { documentClient } from '../../aws/clients.ts';
import { respondToSignIn } from '../../core/http/sign-in-routes.ts';
import { readEnvironment } from '../environment.ts';
import { httpHandler } from '../http-handler.ts';
import { people } from '../people.ts';

const environment = readEnvironment(process.env, 'sessions', 'identity', 'secret', 'baseUrl');
const known = people(environment, documentClient());

/** `/auth/login`, `/auth/callback` and `/auth/logout`: sign-in by authorization code with PKCE. */
export const handler = httpHandler('auth', (request, telemetry) =>
  respondToSignIn(request, {
    signIn: known,
    provider: known.provider,
    attemptSeal: known.attemptSeal,
    publicBaseUrl: environment.baseUrl,
    telemetry,
  }),
);
