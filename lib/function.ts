import { type Duration, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime, RuntimeFamily, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ToolDefinition } from '../core/tool/tool-definition.ts';
import type { BundleSource } from './bundle-source.ts';
import { bundledCode } from './bundling.ts';
import type { Config } from './config.ts';
import { settingsVariable } from './environment.ts';
import type { Stateful } from './stateful.ts';
import {
  bodies,
  createStatements,
  exportFiles,
  indexes,
  indexStatement,
  modelStatements,
  networkStatement,
  readStatements,
  stagedFiles,
  type TableVerb,
  tableStatements,
} from './statements.ts';

export interface ServiceFunctionProps {
  readonly config: Config;
  readonly stateful: Stateful;
  /** Without the prefix: `call-model`. */
  readonly name: string;
  readonly description: string;
  /** @default - `lambdas/<name>/handler.ts` alone */
  readonly source?: BundleSource;
  /** @default - none: the function asks no tool catalogue */
  readonly definitions?: readonly ToolDefinition[];
  readonly timeout: Duration;
  readonly memoryMiB: number;
  /** @default - 512, what every function has */
  readonly scratchMiB?: number;
  /** @default - none besides the name and the settings */
  readonly environment?: Readonly<Record<string, string>>;
  /** @default - Lambda's own network */
  readonly network?: FunctionNetwork;
}

/** Where a function's traffic goes. */
export interface FunctionNetwork {
  readonly vpc: IVpc;
  /** @default - the network's private subnets */
  readonly subnets?: SubnetSelection;
  readonly securityGroup: ISecurityGroup;
}

/**
 * A function with its defaults: a role of its own that may write its own log and nothing else, a log group that
 * forgets, tracing, an ES module bundle. Each `grant…` sets a variable and the permission to use it together, so that
 * neither is there without the other.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** Without the prefix. */
  readonly name: string;
  /** Of physical names. */
  readonly prefix: string;
  readonly role: Role;
  readonly timeout: Duration;
  readonly source: BundleSource;
  private readonly stateful: Stateful;
  private readonly config: Config;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { config, name } = props;
    this.config = config;
    this.name = name;
    this.prefix = config.name;
    this.stateful = props.stateful;
    this.timeout = props.timeout;
    this.source = {
      ...(props.source ?? { entry: `lambdas/${name}/handler.ts` }),
      ...(props.definitions && { definitions: props.definitions }),
    };
    const functionName = `${config.name}-${name}`;
    if (config.runtime !== 'nodejs24.x') {
      Validations.of(this).acknowledge({ id: 'AwsSolutions-L1', reason: 'The setting runtime asks for an older one.' });
    }

    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: config.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Claimcheck ${name}`,
    });
    this.allow(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources to name; nothing else here uses *.',
    });

    const { network } = props;
    if (network !== undefined) this.allow(networkStatement());
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: `Claimcheck: ${props.description}`,
      runtime: new Runtime(config.runtime, RuntimeFamily.NODEJS, { supportsInlineCode: true }),
      architecture: config.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      handler: 'index.handler',
      code: bundledCode(this.source),
      role: this.role,
      logGroup,
      timeout: props.timeout,
      memorySize: props.memoryMiB,
      ephemeralStorageSize: Size.mebibytes(props.scratchMiB ?? 512),
      tracing: config.features.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(network !== undefined && {
        vpc: network.vpc,
        vpcSubnets: network.subnets ?? { subnets: network.vpc.privateSubnets },
        securityGroups: [network.securityGroup],
      }),
      environment: {
        CLAIMCHECK_NAME: config.name,
        CLAIMCHECK_SETTINGS: settingsVariable(config),
        POWERTOOLS_SERVICE_NAME: config.name,
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
      },
    });
  }

  /** The run's records: always only partitions of runs. */
  grantRuns(...verbs: readonly TableVerb[]): this {
    this.variable('CLAIMCHECK_RUNS', this.stateful.runs.tableName);
    return this.allow(...tableStatements(this.stateful, 'runs', verbs, ['run#*']));
  }

  /** The list of an owner's runs that have not ended, for the limit on parallel ones. */
  grantActiveRuns(...verbs: readonly TableVerb[]): this {
    this.variable('CLAIMCHECK_RUNS', this.stateful.runs.tableName);
    return this.allow(...tableStatements(this.stateful, 'runs', verbs, ['active#*']));
  }

  grantCatalog(...verbs: readonly TableVerb[]): this {
    this.variable('CLAIMCHECK_CATALOG', this.stateful.catalog.tableName);
    return this.allow(...tableStatements(this.stateful, 'catalog', verbs));
  }

  /** The index that lists an owner's results by time, newest first. */
  grantCatalogByTime(): this {
    this.variable('CLAIMCHECK_CATALOG', this.stateful.catalog.tableName);
    return this.allow(indexStatement(this.stateful, 'catalog', 'byTime'));
  }

  grantChats(...verbs: readonly TableVerb[]): this {
    this.variable('CLAIMCHECK_CHATS', this.stateful.chats.tableName);
    return this.allow(...tableStatements(this.stateful, 'chats', verbs));
  }

  /** Sign-in sessions, and the pointers from an owner to them. */
  grantSessions(...verbs: readonly TableVerb[]): this {
    this.variable('CLAIMCHECK_SESSIONS', this.stateful.sessions.tableName);
    return this.allow(...tableStatements(this.stateful, 'sessions', verbs, ['session#*']));
  }

  /** Whether an owner was erased, which admission and every write ask first. */
  grantTombstones(): this {
    this.variable('CLAIMCHECK_SESSIONS', this.stateful.sessions.tableName);
    return this.allow(...tableStatements(this.stateful, 'sessions', ['get'], ['erased#*']));
  }

  /** Bodies and nothing more: what a tool may do (DESIGN 7.7). */
  grantCreateBodies(): this {
    this.variable('CLAIMCHECK_BUCKET', this.stateful.bucket.bucketName);
    return this.create([bodies]);
  }

  /** Bodies, and the CSV files beside them: what a list tool may do. */
  grantCreateExports(): this {
    this.variable('CLAIMCHECK_BUCKET', this.stateful.bucket.bucketName);
    return this.create([bodies, exportFiles]);
  }

  /** Bodies and their commit records: what the platform's own functions may do. */
  grantCreateResults(): this {
    this.variable('CLAIMCHECK_BUCKET', this.stateful.bucket.bucketName);
    return this.create([bodies, indexes]);
  }

  /** What signs addresses for the engine's uploads must be allowed to make them. */
  grantCreateStaged(): this {
    return this.create([stagedFiles]);
  }

  grantReadResults(...also: readonly ('exports' | 'staging')[]): this {
    this.variable('CLAIMCHECK_BUCKET', this.stateful.bucket.bucketName);
    const prefixes = ['results/', ...also.map((prefix) => `${prefix}/`)];
    for (const prefix of prefixes) {
      this.acknowledgeWildcard(
        `${this.stateful.bucketExport}/${prefix}*`,
        'Keys name owner, session and id; which of them a caller may read is the function’s to decide.',
      );
    }
    return this.allow(...readStatements(this.stateful, prefixes));
  }

  private create(patterns: readonly string[]): this {
    for (const pattern of patterns) {
      this.acknowledgeWildcard(
        `${this.stateful.bucketExport}/${pattern}`,
        'Keys name owner, session and id, which are not known at deployment; the bucket lets nothing be overwritten.',
      );
    }
    return this.allow(...createStatements(this.stateful, patterns));
  }

  /** Whose tokens to believe. Gives no permission: verifying needs only public keys. */
  useIdentity(): this {
    return this.variable('CLAIMCHECK_IDENTITY', Stack.of(this).toJsonString(this.stateful.identity));
  }

  /** Looks up a person's current roles where the configuration says. */
  grantRoleLookup(): this {
    this.useIdentity();
    const { rolesSource, rolesTableArn } = this.config.identity;
    if (rolesSource === 'cognito' && this.stateful.userPoolArn !== undefined) {
      this.allow(
        new PolicyStatement({
          actions: ['cognito-idp:AdminListGroupsForUser'],
          resources: [this.stateful.userPoolArn],
        }),
      );
    }
    if (rolesSource === 'table' && rolesTableArn !== undefined) {
      this.allow(new PolicyStatement({ actions: ['dynamodb:GetItem'], resources: [rolesTableArn] }));
    }
    return this;
  }

  /** The secret that seals cookies' state and cursors. */
  grantSecret(): this {
    this.variable('CLAIMCHECK_SECRET', this.stateful.secret.secretArn);
    return this.allow(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [this.stateful.secret.secretArn],
      }),
    );
  }

  /** The secret of a confidential OIDC client, where there is one; its ARN is among the identity's facts. */
  grantClientSecret(): this {
    const arn = this.config.identity.clientSecretArn;
    if (arn === undefined) return this;
    return this.allow(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] }));
  }

  useBaseUrl(): this {
    return this.variable('CLAIMCHECK_BASE_URL', this.stateful.baseUrl);
  }

  /** What each model can take; no right to call one. */
  useModels(): this {
    return this.variable('CLAIMCHECK_MODELS', JSON.stringify(this.config.models));
  }

  grantModels(): this {
    this.useModels();
    const wide = modelStatements(this.config);
    for (const arn of wide.flatMap((statement) => statement.resources).filter((arn) => arn.includes(':*:'))) {
      this.acknowledgeWildcard(arn, 'An inference profile sends requests to this one model in several regions.');
    }
    return this.allow(...wide);
  }

  /** Invokes exactly these; `variable` holds the map from each key to the function's name. */
  grantInvoke(variable: string, functions: Readonly<Record<string, ServiceFunction>>): this {
    const names = Object.entries(functions).map(([key, each]) => [key, each.lambda.functionName] as const);
    this.variable(variable, Stack.of(this).toJsonString(Object.fromEntries(names)));
    return this.allow(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [...new Set(Object.values(functions))].map((each) => each.lambda.functionArn),
      }),
    );
  }

  /** Names variables that come without a permission. */
  variable(name: string, value: string): this {
    this.lambda.addEnvironment(name, value);
    return this;
  }

  allow(...statements: readonly PolicyStatement[]): this {
    for (const statement of statements) {
      if (statement.effect !== Effect.ALLOW) throw new Error('a function’s role holds only what is allowed');
      this.role.addToPolicy(statement);
    }
    return this;
  }

  /** Explains one resource with a wildcard to cdk-nag, by the name that it reports. */
  acknowledgeWildcard(arn: string, reason: string): void {
    const reported = arn.replace(/\$\{Token\[AWS\.(\w+)\.\d+\]\}/g, '<AWS::$1>');
    Validations.of(this).acknowledge({ id: `AwsSolutions-IAM5[Resource::${reported}]`, reason });
  }
}
