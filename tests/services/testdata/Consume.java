import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Prints the committed messages of a topic as the console consumer does: key, tab, value. */
public class Consume {
  public static void main(String[] args) {
    Map<String, Object> config = Map.of("bootstrap.servers", args[0], "isolation.level", "read_committed",
        "auto.offset.reset", "earliest", "group.id", "consume-" + args[1], "enable.auto.commit", "false");
    int left = Integer.parseInt(args[2]);
    long end = System.currentTimeMillis() + 30_000;
    try (var c = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      c.subscribe(List.of(args[1]));
      while (left > 0 && System.currentTimeMillis() < end) {
        for (ConsumerRecord<String, String> r : c.poll(Duration.ofMillis(200))) {
          System.out.println(r.key() + "\t" + r.value());
          left--;
        }
      }
    }
  }
}
