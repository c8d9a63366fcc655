import { App } from 'aws-cdk-lib';
import { loadConfig } from '../../lib/config.ts';
import { FoundationStack } from '../../lib/foundation-stack.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { builtinTools, deployedTools } from '../../tools/catalogue.ts';

// Template validation takes twenty of the twenty-four seconds of a synthesis; `npx cdk synth` and cfn-lint do it.
process.env['CDK_VALIDATION'] = 'false';

export interface CfnResource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: unknown;
}

export interface CfnTemplate {
  readonly Resources: Record<string, CfnResource>;
  readonly Outputs: Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>;
}

export interface Synthesis {
  readonly app: App;
  readonly foundation: CfnTemplate;
  readonly service: CfnTemplate;
  readonly stacks: { readonly foundation: FoundationStack; readonly service: ServiceStack };
  /** Folder with the templates as files. */
  readonly folder: string;
}

/** The app as `bin/app.ts` makes it, with these settings and without bundles (they have a suite of their own). */
export function synthesize(settings: Readonly<Record<string, unknown>> = {}): Synthesis {
  const named = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`claimcheck.${name}`, value]));
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...named } });
  const config = loadConfig(app.node.getAllContext() as Record<string, unknown>);
  const foundation = new FoundationStack(app, 'Claimcheck-Foundation', { config });
  const service = new ServiceStack(app, 'Claimcheck-Service', {
    config,
    stateful: foundation.stateful,
    tools: deployedTools,
    builtins: builtinTools,
  });
  const assembly = app.synth();
  return {
    app,
    foundation: assembly.getStackByName('Claimcheck-Foundation').template as CfnTemplate,
    service: assembly.getStackByName('Claimcheck-Service').template as CfnTemplate,
    stacks: { foundation, service },
    folder: assembly.directory,
  };
}

/** All resources of a type, with their logical ids. */
export function resourcesOf(template: CfnTemplate, type: string): readonly (readonly [string, CfnResource])[] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** The functions of the platform and its tools: not the one by which CDK asks AWS something while it deploys. */
export function ownFunctions(template: CfnTemplate): readonly (readonly [string, CfnResource])[] {
  return resourcesOf(template, 'AWS::Lambda::Function').filter(([id]) => !id.startsWith(askingFunction));
}

/** Logical id of the function behind `AwsCustomResource`, one for the whole stack. */
export const askingFunction = 'AWS679f53fac002430cb0da5b7982bd2287';
