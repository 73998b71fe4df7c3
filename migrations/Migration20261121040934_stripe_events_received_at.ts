import { Migration } from '@mikro-orm/migrations';

/** Webhook events are found by age, so that old ones can be deleted. */
export class Migration20261121040934_stripe_events_received_at extends Migration {
  override name = 'Migration20261121040934_stripe_events_received_at';

  override up(): void {
    this.addSql(`create index "stripe_events_received_at_index" on "stripe_events" ("received_at");`);
  }

  override down(): void {
    this.addSql(`drop index if exists "stripe_events_received_at_index";`);
  }
}
