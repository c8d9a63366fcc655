import { agentCoreClient, agentCorePython } from '../../aws/agentcore-python.ts';
import { brokerHandler } from './broker.ts';

/** The broker where a Code Interpreter is named: only this bundle holds its client. */
export const handler = brokerHandler((interpreter) => agentCorePython(agentCoreClient(), interpreter));
