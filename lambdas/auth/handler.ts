import { documentClient } from '../../aws/clients.ts';
import { signInProvider } from '../../aws/session-provider.ts';
import { respondToSignIn } from '../../core/http/sign-in-routes.ts';
import { readEnvironment } from '../environment.ts';
import { httpHandler } from '../http-handler.ts';
import { people, providerSettings } from '../people.ts';

const environment = readEnvironment(process.env, 'sessions', 'identity', 'secret', 'baseUrl');
const provider = signInProvider(providerSettings(environment), environment.baseUrl);
const known = people(environment, documentClient(), provider);

/** `/auth/login`, `/auth/callback` and `/auth/logout`: sign-in by authorization code with PKCE. */
export const handler = httpHandler('auth', (request, telemetry) =>
  respondToSignIn(request, {
    signIn: known,
    provider,
    attemptSeal: known.attemptSeal,
    publicBaseUrl: environment.baseUrl,
    telemetry,
  }),
);
