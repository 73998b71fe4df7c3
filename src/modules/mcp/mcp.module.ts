import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller';

/** The door for assistants: the Model Context Protocol over the endpoints of the API. */
@Module({ controllers: [McpController] })
export class McpModule {}
