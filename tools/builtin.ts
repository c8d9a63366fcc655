export { listResultsTool, readResultTool } from '../core/tool/builtin-tools.ts';
