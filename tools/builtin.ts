export { analyzeResultTool } from '../core/tool/builtin-analyze.ts';
export { listResultsTool, readResultTool } from '../core/tool/builtin-tools.ts';
