import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import {
  type CfnSecurityGroup,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  CfnFirewallDomainList,
  CfnFirewallRuleGroup,
  CfnFirewallRuleGroupAssociation,
} from 'aws-cdk-lib/aws-route53resolver';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import type { FunctionNetwork } from './function.ts';
import { S3Addresses } from './s3-addresses.ts';
import type { Stateful } from './stateful.ts';
import { bodies, stagedFiles } from './statements.ts';

/**
 * A network with one way out: through the S3 gateway endpoint, from bodies of our bucket and to the place where the
 * broker looks for uploads, and nowhere else. No internet gateway, no address translation; names other than S3's are
 * not even answered.
 */
export class EngineNetwork extends Construct {
  readonly vpc: Vpc;
  readonly subnets = { subnetType: SubnetType.PRIVATE_ISOLATED } as const;
  readonly securityGroup: SecurityGroup;

  constructor(scope: Construct, id: string, props: { readonly config: Config; readonly stateful: Stateful }) {
    super(scope, id);
    const { config, stateful } = props;
    this.vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.187.0.0/24'),
      maxAzs: 2,
      natGateways: 0,
      createInternetGateway: false,
      // A custom resource for a group that nothing uses; the engine names its own.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: 'engine', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 }],
    });
    this.securityGroup = new SecurityGroup(this, 'Group', {
      vpc: this.vpc as IVpc,
      description: 'Analysis engine: HTTPS to S3, nothing in',
      allowAllOutbound: false,
    });
    this.letOut(config.analysis.s3PrefixList ?? new S3Addresses(this, 'S3Addresses', { config }).prefixList);
    const endpoint = this.vpc.addGatewayEndpoint('S3', {
      service: GatewayVpcEndpointAwsService.S3,
      subnets: [this.subnets],
    });
    endpoint.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:GetObject'],
        resources: [stateful.bucket.arnForObjects(bodies)],
      }),
    );
    // Not even a body: what the engine leaves is nothing until the broker has looked at it.
    endpoint.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [stateful.bucket.arnForObjects(stagedFiles)],
      }),
    );
    const rejected = new LogGroup(this, 'Rejected', {
      retention: config.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.vpc.addFlowLog('Rejected', {
      trafficType: FlowLogTrafficType.REJECT,
      destination: FlowLogDestination.toCloudWatchLogs(rejected),
    });
    this.answerOnlyS3();
  }

  /**
   * Port 443 of these addresses, and nothing else. Written into the group itself: a group without a rule of its own is
   * made with one that lets everything out, and a rule that is added beside it does not take that one away.
   */
  private letOut(prefixList: string): void {
    const group = this.securityGroup.node.defaultChild as CfnSecurityGroup;
    group.securityGroupEgress = [
      {
        ipProtocol: 'tcp',
        fromPort: 443,
        toPort: 443,
        destinationPrefixListId: prefixList,
        description: 'The addresses of S3 in this region',
      },
    ];
  }

  /** For a function in it. */
  get place(): FunctionNetwork {
    return { vpc: this.vpc as IVpc, subnets: this.subnets, securityGroup: this.securityGroup };
  }

  /** A name is data too: looking one up would carry it out of any network. */
  private answerOnlyS3(): void {
    const list = (id: string, domains: string[]) => new CfnFirewallDomainList(this, id, { domains });
    const s3 = list('S3Names', [`s3.${Aws.REGION}.${Aws.URL_SUFFIX}`, `*.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`]);
    const all = list('AllNames', ['*']);
    const rules = new CfnFirewallRuleGroup(this, 'Names', {
      firewallRules: [
        { priority: 1, action: 'ALLOW', firewallDomainListId: s3.attrId },
        { priority: 2, action: 'BLOCK', blockResponse: 'NXDOMAIN', firewallDomainListId: all.attrId },
      ],
    });
    new CfnFirewallRuleGroupAssociation(this, 'NamesHere', {
      firewallRuleGroupId: rules.attrId,
      vpcId: this.vpc.vpcId,
      priority: 101,
    });
  }
}
