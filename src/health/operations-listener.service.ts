import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Config } from '../config/config';
import { ApiError } from '../common/errors';
import { sendErrorResponse } from '../http/error.filter';
import { serverTimeouts } from '../http/server-timeouts';

const METRICS = '/metrics';
const SERVED = [METRICS, '/health/live', '/health/ready'];

/** The listener on METRICS_PORT, where there is one: /metrics and the probes, apart from what callers ask. It shares the router with the other listener. */
@Injectable()
export class OperationsListenerService implements OnApplicationShutdown {
  private readonly requests = new WeakSet<IncomingMessage>();
  private server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Lets each listener serve its own only. To be called before routes are registered. */
  keepApart(): void {
    if (this.config.METRICS_PORT === undefined) return;
    this.router.addHook('onRequest', (request, reply, done) => {
      const { url = '' } = request.routeOptions;
      const isServed = this.requests.has(request.raw) ? SERVED.includes(url) : url !== METRICS;
      if (isServed) done();
      else sendErrorResponse(new ApiError('not_found'), request, reply);
    });
  }

  /** Listens, if there is a port for it. @throws what the system says against it */
  async listen(): Promise<void> {
    const { METRICS_PORT, HOST } = this.config;
    if (METRICS_PORT === undefined) return;
    this.server = this.createServer().listen(METRICS_PORT, HOST);
    await once(this.server, 'listening');
  }

  // After everything else, so that it can be watched how a process stops.
  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private createServer(): Server {
    const { http, requestTimeout, keepAliveTimeout } = serverTimeouts(this.config);
    const server = createServer({ ...http, requestTimeout, keepAliveTimeout, requireHostHeader: false }, (request, response) => {
      this.requests.add(request);
      this.router.routing(request, response);
    });
    // Requests that Node cannot route are answered as on the other listener.
    for (const event of ['clientError', 'checkExpectation', 'checkContinue', 'connect']) server.on(event, (...given: unknown[]) => this.router.server.emit(event, ...given));
    return server;
  }

  private get router() {
    return this.host.httpAdapter.getInstance();
  }
}
