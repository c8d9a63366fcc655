/**
 * Stands in every function's bundle for parts of the SDK that a function cannot use, by the names of their packages: a
 * browser's name for the user agent, and credentials out of a person's profile files, which may even start programs. A
 * function has its role's credentials in its environment; web identity and the container's address stay as they are.
 */
export const leftOut: readonly string[] = [
  'bowser',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
];

/** Of `bowser`: called in a browser alone. */
export function parse(): undefined {
  return undefined;
}

/** As the SDK's own providers where there is no profile: the chain goes on to the next one. */
const noProfiles = () => async (): Promise<never> => {
  const error = new Error('a function reads no profile files: expected the credentials of its role in its environment');
  throw Object.assign(error, { name: 'CredentialsProviderError', tryNextLink: true });
};
export const fromIni = noProfiles;
export const fromProcess = noProfiles;
export const fromSSO = noProfiles;
