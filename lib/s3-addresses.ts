import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/**
 * The list of S3's addresses in this region, which AWS keeps: its id differs by region and no template function knows
 * it, so one call asks for it while the stack is deployed (docs/decisions/engine-egress.md).
 */
export class S3Addresses extends Construct {
  /** `pl-…` */
  readonly prefixList: string;

  constructor(scope: Construct, id: string, props: { readonly config: Config }) {
    super(scope, id);
    const ask = {
      service: 'EC2',
      action: 'DescribeManagedPrefixLists',
      parameters: { Filters: [{ Name: 'prefix-list-name', Values: [`com.amazonaws.${Aws.REGION}.s3`] }] },
      outputPaths: ['PrefixLists.0.PrefixListId'],
      physicalResourceId: PhysicalResourceId.of('s3-addresses'),
    };
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.config.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Its own, like every function's: the one that comes with the construct may write any log.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Asks for the prefix list of S3',
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['ec2:DescribeManagedPrefixLists'], resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'This action names no resources; it tells public facts and changes nothing.',
    });
    const found = new AwsCustomResource(this, 'Ask', {
      resourceType: 'Custom::S3Addresses',
      onCreate: ask,
      onUpdate: ask,
      installLatestAwsSdk: false,
      timeout: Duration.minutes(1),
      logGroup,
      role,
    });
    // Its right has to be there before it asks.
    found.node.addDependency(role);
    this.prefixList = found.getResponseField('PrefixLists.0.PrefixListId');
  }
}
