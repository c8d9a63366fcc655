import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Dashboard, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { alarmRules, type Watched } from './observability-alarms.ts';
import { dashboardWidgets } from './observability-dashboard.ts';

/** The dashboard and the alarms of one deployment; alarms tell the operator's topic, where one is set. */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, props: { readonly config: Config; readonly watched: Watched }) {
    super(scope, id);
    const { config, watched } = props;
    const { topicArn } = config.alarms;
    const action = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
    for (const rule of alarmRules(config, watched)) {
      const alarm = new Alarm(this, rule.id, {
        alarmName: `${config.name}-${rule.id}`,
        alarmDescription: rule.says,
        metric: new Metric({
          namespace: rule.namespace,
          metricName: rule.metric,
          dimensionsMap: { ...rule.dimensions },
          statistic: rule.statistic,
          period: Duration.minutes(rule.periodMinutes),
        }),
        threshold: rule.threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (action !== undefined) {
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
      }
    }
    new Dashboard(this, 'Dashboard', {
      dashboardName: config.name,
      widgets: dashboardWidgets(config.name, watched),
    });
  }
}
