import { Injectable, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { prepare } from '../../bootstrap/prepare';
import { print } from '../../bootstrap/terminal';
import { environmentVariables } from '../../config/process-environment';
import { refused } from './refused';

/** Gives commands the service's own modules. They are loaded and opened only when a command has understood its words, so that help and mistakes need no settings and no database. */
@Injectable()
export class ConsoleService {
  /** Does something with modules of the service on DATABASE_URL, or on the embedded database, beside any process that serves. @throws OperatorError with the sentence of the API when it is refused */
  async use<T>(load: () => Promise<Type>, work: (context: INestApplicationContext) => Promise<T>): Promise<T> {
    const prepared = await prepare(environmentVariables(), print);
    try {
      const { ServicesModule } = await import('./services.module.js');
      const context = await NestFactory.createApplicationContext(await ServicesModule.register(prepared.config, await load()), { logger: false, abortOnError: false });
      return await refused(() => work(context)).finally(() => context.close());
    } finally {
      await prepared.stop();
    }
  }
}
