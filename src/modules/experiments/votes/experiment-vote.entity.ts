import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { Experiment } from '../experiment.entity';
import type { Winner } from '../judge/judge-spec';

/** A vote of a person on an item of an experiment of judges. The last one on an item counts. */
@Entity({ tableName: 'experiment_votes' })
export class ExperimentVote {
  [PrimaryKeyProp]?: ['experimentId', 'rowNo', 'itemNo', 'voter'];

  @ManyToOne(() => Experiment, { primary: true, mapToPk: true, fieldName: 'experiment_id', deleteRule: 'cascade' })
  experimentId!: string;

  /** The row of the judged experiment. */
  @Property({ type: 'integer', primary: true })
  rowNo!: number;

  /** The number of the item among those of its row. */
  @Property({ type: 'integer', primary: true })
  itemNo!: number;

  /** A key, or a hash of a link and a name. */
  @Property({ type: 'text', primary: true })
  voter!: string;

  /** In the order of the item's models, whatever order the ballot showed. */
  @Property({ type: 'text' })
  winner!: Winner;

  /** True if the item is among the first that are drawn at random. */
  @Property({ type: 'boolean' })
  isRandom!: boolean;

  @Property({ type: 'timestamptz', length: 3 })
  votedAt!: Date;
}
