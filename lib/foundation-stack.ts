import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Tags, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { SignIn } from './identity.ts';
import { ObjectTrail } from './observability-trail.ts';
import { resultBucket } from './result-bucket.ts';
import type { Stateful } from './stateful.ts';

/**
 * What must last: bucket, tables, users, the sealing secret and the address of the HTTP API. Everything here is
 * retained and protected from deletion unless `removeDataOnDestroy` is set. Nothing here has a fixed physical name:
 * a retained resource must never stand in the way of a second deployment.
 */
export class FoundationStack extends Stack {
  readonly stateful: Stateful;

  constructor(scope: Construct, id: string, props: StackProps & { readonly config: Config }) {
    super(scope, id, { terminationProtection: !props.config.removeDataOnDestroy, ...props });
    const { config } = props;
    const removalPolicy = config.removeDataOnDestroy ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    const key = this.customerKey(config, removalPolicy);

    const bucket = resultBucket(this, { config, removalPolicy, key });
    if (config.features.trails) new ObjectTrail(this, 'ObjectTrail', { config, bucket });
    const table = (name: string) => this.table(name, config, removalPolicy, key);
    const runs = table('Runs');
    const catalog = table('Catalog');
    catalog.addGlobalSecondaryIndex({
      indexName: 'byTime',
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'at', type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
    const chats = table('Chats');
    const sessions = table('Sessions');

    const secret = new Secret(this, 'SealingSecret', {
      description: 'Claimcheck: seals sign-in state, session tokens and cursors',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Changing it signs everybody out and does nothing else; operators replace it when they mean to.',
    });

    const api = this.api(config, removalPolicy);
    const baseUrl = (
      config.publicBaseUrl ?? `https://${api.apiId}.execute-api.${this.region}.${this.urlSuffix}`
    ).replace(/\/+$/, '');
    const signIn = new SignIn(this, 'SignIn', { config, baseUrl, removalPolicy });

    const imported = this.resolve(this.exportValue(bucket.bucketArn)) as { readonly 'Fn::ImportValue': string };
    this.stateful = {
      bucket,
      bucketExport: imported['Fn::ImportValue'],
      runs,
      catalog,
      chats,
      sessions,
      secret,
      api,
      baseUrl,
      identity: signIn.facts,
      ...(key && { key }),
      ...(signIn.pool && { userPoolArn: signIn.pool.userPoolArn }),
    };
    this.outputs({
      BucketName: bucket.bucketName,
      RunsTable: runs.tableName,
      CatalogTable: catalog.tableName,
      ChatsTable: chats.tableName,
      SessionsTable: sessions.tableName,
      UserPoolId: signIn.pool?.userPoolId,
      UserPoolClientId: signIn.client?.userPoolClientId,
      ApiId: api.apiId,
      BaseUrl: baseUrl,
    });
    // Exported whether the service uses them or not: an export in use cannot be withdrawn, so the set never changes.
    for (const value of [bucket.bucketName, secret.secretArn, api.apiId]) this.exportValue(value);
    for (const value of signIn.exported) this.exportValue(value);
    for (const each of [runs, catalog, chats, sessions]) {
      this.exportValue(each.tableArn);
      this.exportValue(each.tableName);
    }
  }

  private table(name: string, config: Config, removalPolicy: RemovalPolicy, key: IKey | undefined): Table {
    return new Table(this, name, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !config.removeDataOnDestroy,
      removalPolicy,
      ...(key === undefined
        ? { encryption: TableEncryption.DEFAULT }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key }),
    });
  }

  private api(config: Config, removalPolicy: RemovalPolicy): HttpApi {
    const api = new HttpApi(this, 'Api', { apiName: config.name, createDefaultStage: false });
    api.applyRemovalPolicy(removalPolicy);
    if (config.api.customId !== undefined) Tags.of(api).add('ms-custom-id', config.api.customId);
    const logGroup = new LogGroup(this, 'ApiLogs', {
      retention: config.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: config.api.requestsPerSecond, burstLimit: config.api.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        // The route and never the path: a path names a session and a result.
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: '$context.requestId',
            at: '$context.requestTimeEpoch',
            route: '$context.routeKey',
            status: '$context.status',
            bytes: '$context.responseLength',
            latencyMs: '$context.responseLatency',
            integrationError: '$context.integrationErrorMessage',
          }),
        ),
      },
    });
    stage.applyRemovalPolicy(removalPolicy);
    return api;
  }

  private customerKey(config: Config, removalPolicy: RemovalPolicy): IKey | undefined {
    if (config.customerKey === 'none') return undefined;
    if (config.customerKey !== 'create') return Key.fromKeyArn(this, 'CustomerKey', config.customerKey);
    return new Key(this, 'CustomerKey', {
      description: 'Claimcheck: results, exports, runs, catalogue, chats',
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      removalPolicy,
    });
  }

  private outputs(values: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) new CfnOutput(this, name, { value });
    }
  }
}
