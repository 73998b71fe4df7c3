import { Injectable } from '@nestjs/common';

/** True if something uses a data set, which must then not be deleted. */
export type FindUse = (datasetId: string) => Promise<boolean>;

/** The uses of data sets, which other modules register here. */
@Injectable()
export class DatasetUsesService {
  private readonly finders: FindUse[] = [];

  /** Registers a kind of use. Called while the data set is locked: a use that began before is committed. */
  register(find: FindUse): void {
    this.finders.push(find);
  }

  /** True if any of them uses the data set. */
  async isUsed(datasetId: string): Promise<boolean> {
    for (const find of this.finders) if (await find(datasetId)) return true;
    return false;
  }
}
