/** The engine of `analyze_result` for a process of one's own. */
export { type InProcessEngineOptions, inProcessEngine } from '../engine/in-process.ts';
