import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';

/** Signs real tokens with real keys, good ones and every kind of bad one. */
export class TokenMaker {
  readonly kid = randomUUID();
  readonly #key: KeyObject;
  readonly jwk: Record<string, unknown>;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#key = privateKey;
    this.jwk = { ...publicKey.export({ format: 'jwk' }), kid: this.kid, use: 'sig', alg: 'RS256' };
  }

  sign(claims: Record<string, unknown>, header: Record<string, unknown> = {}): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: this.kid, ...header })}.${part(claims)}`;
    if (header['alg'] === 'none') return `${signed}.`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.#key).toString('base64url')}`;
  }
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
