import { Validations } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Construct } from 'constructs';
import type { ServiceFunction } from './function.ts';

export interface RouteTargets {
  readonly api: ServiceFunction;
  readonly auth: ServiceFunction;
  readonly download: ServiceFunction;
  readonly web: ServiceFunction;
}

const { GET, HEAD, POST, DELETE, ANY } = HttpMethod;

/** The HTTP surface of DESIGN 5.8. What is not here goes to `web`, which answers the one 404 there is. */
const routes: readonly (readonly [HttpMethod, string, keyof RouteTargets])[] = [
  [POST, '/runs', 'api'],
  [GET, '/runs/{id}', 'api'],
  [GET, '/chats', 'api'],
  [GET, '/chats/{id}', 'api'],
  [DELETE, '/chats/{id}', 'api'],
  [GET, '/catalog', 'api'],
  [GET, '/results/{session}/{id}/view', 'api'],
  [GET, '/results/{session}/{id}', 'download'],
  [HEAD, '/results/{session}/{id}', 'download'],
  [GET, '/exports/{id}', 'download'],
  [HEAD, '/exports/{id}', 'download'],
  [ANY, '/auth/{proxy+}', 'auth'],
  [GET, '/', 'web'],
  [GET, '/console/{proxy+}', 'web'],
];

/** Puts the routes on the API that lasts. Each function verifies the cookie or bearer token itself. */
export class Routes extends Construct {
  constructor(scope: Construct, id: string, props: { readonly api: HttpApi; readonly targets: RouteTargets }) {
    super(scope, id);
    const integrations = Object.fromEntries(
      Object.entries(props.targets).map(([name, target]) => [
        name,
        new HttpLambdaIntegration(`${name}Integration`, (target as ServiceFunction).lambda, {
          scopePermissionToRoute: false,
        }),
      ]),
    ) as Record<keyof RouteTargets, HttpLambdaIntegration>;

    for (const [method, path, target] of routes)
      this.route(props.api, HttpRouteKey.with(path, method), integrations[target]);
    this.route(props.api, HttpRouteKey.DEFAULT, integrations.web);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'A cookie or a bearer token is accepted and verified in the function; an authorizer takes only one.',
    });
  }

  private route(api: HttpApi, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void {
    new HttpRoute(this, routeKey.key, { httpApi: api, routeKey, integration });
  }
}
