package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Spring Boot with a web server, JPA and a database in memory. */
@SpringBootApplication
@EnableJpaRepositories(considerNestedRepositories = true)
public class SpringShop {
    @Entity
    public static class Item {
        @Id
        @GeneratedValue
        public Long id;
        public String name;
        public int price;
    }

    public interface Items extends JpaRepository<Item, Long> {
        List<Item> findByPriceGreaterThanOrderByName(int price);
    }

    @RestController
    public static class Shop {
        private final Items items;

        public Shop(Items items) {
            this.items = items;
        }

        @GetMapping("/expensive")
        public List<Item> expensive(@RequestParam(name = "than") int than) {
            return items.findByPriceGreaterThanOrderByName(than);
        }
    }

    public static void main(String[] args) {
        ServletWebServerApplicationContext context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringShop.class, "--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
                "--logging.level.root=OFF", "--spring.jpa.open-in-view=false");
        Items items = context.getBean(Items.class);
        for (int n = 0; n < 200; n++) {
            Item item = new Item();
            item.name = "item " + n;
            item.price = n;
            items.save(item);
        }
        String base = "http://127.0.0.1:" + context.getWebServer().getPort() + "/expensive?than=";
        var client = context.getBean(RestTemplateBuilder.class).build();
        long length = 0;
        for (int n = 0; n < 200; n += 10) length += client.getForObject(base + n, String.class).length();
        context.close();
        System.out.println(length);
    }
}
