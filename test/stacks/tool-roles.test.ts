import { namesOf, roleOf, type Statement } from './policies.ts';
import { synthesize } from './synthesis.ts';

const synthesis = synthesize();
const { bucket } = namesOf(synthesis);
const tools = Object.values(synthesis.service.Resources).flatMap(({ Type, Properties: at }) => {
  const name = Type === 'AWS::Lambda::Function' ? String(at['FunctionName']) : '';
  return name.startsWith('claimcheck-tool-') ? [name] : [];
});
/** Log lines and traces, which every function writes. */
const telemetry = ['logs:CreateLogStream', 'logs:PutLogEvents', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'];
const list = (one: string | readonly string[]) => (typeof one === 'string' ? [one] : one);
const rightsOf = (statements: readonly Statement[]) =>
  statements
    .filter(({ Action: action }) => !list(action).every((each) => telemetry.includes(each)))
    .map(({ Effect: effect, Action: action, Resource: resource }) => [
      effect,
      [...list(action)].sort(),
      list(resource),
    ]);

test('a tool that stores by itself may create bodies and nothing else; any other has no right at all', () => {
  const rights = Object.fromEntries(tools.map((name) => [name, rightsOf(roleOf(synthesis, name).statements)]));
  const bodies = ['Allow', ['s3:AbortMultipartUpload', 's3:PutObject'], [`${bucket}/results/*/*/*/body`]];
  expect(rights).toEqual({
    'claimcheck-tool-service-status': [bodies],
    'claimcheck-tool-flights': [],
    'claimcheck-tool-search-notes': [],
  });
});
