import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/** Query of the routes that can say more than the contract's fields. */
export class IncludeQuery {
  @ApiPropertyOptional({ enum: ['details'], description: 'Adds a `details` member to what is answered.' })
  @IsOptional()
  @IsIn(['details'], { message: 'include can only be details' })
  include?: 'details';
}
