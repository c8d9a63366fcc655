import { brokerHandler } from './broker.ts';

/** The broker without Python. */
export const handler = brokerHandler();
