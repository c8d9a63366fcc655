import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import type { ServiceFunction, ServiceFunctionProps } from './function.ts';

export function hasOrdersDatabase({ orders }: Config): boolean {
  return orders.secretArn !== undefined || orders.localUrl !== undefined;
}

/** The existing network that the tool joins, as the settings name it; nothing when they name none. */
export function ordersNetwork(scope: Construct, { orders }: Config): Pick<ServiceFunctionProps, 'network'> {
  const { vpcId, subnetIds, securityGroupId } = orders;
  if (vpcId === undefined || securityGroupId === undefined) return {};
  const vpc = Vpc.fromVpcAttributes(scope, 'OrdersVpc', {
    vpcId,
    // Only as many names as there are subnets are needed: a function is placed by the subnets' ids.
    availabilityZones: subnetIds.map((_, at) => `zone-${at}`),
    privateSubnetIds: subnetIds,
  });
  const securityGroup = SecurityGroup.fromSecurityGroupId(scope, 'OrdersSecurityGroup', securityGroupId, {
    mutable: false,
  });
  return { network: { vpc, securityGroup } };
}

/** The secret and the right to read it; on the local platform the address itself. */
export function grantOrdersDatabase(made: ServiceFunction, { orders }: Config): void {
  if (orders.secretArn !== undefined) {
    made
      .variable('CLAIMCHECK_ORDERS_SECRET', orders.secretArn)
      .allow(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [orders.secretArn] }));
  } else if (orders.localUrl !== undefined) made.variable('CLAIMCHECK_ORDERS_URL', orders.localUrl);
}
